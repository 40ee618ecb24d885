export { default as sql, empty, join, raw, Sql } from 'sql-template-tag';
