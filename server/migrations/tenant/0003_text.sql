CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

-- Text for search and sorting, without case and accents. Declared IMMUTABLE for use in indexes: `unaccent` is only STABLE,
-- because its dictionary can be changed.
CREATE FUNCTION fold(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN lower(public.unaccent('public.unaccent'::regdictionary, $1));

-- The folded text as a pattern for LIKE.
CREATE FUNCTION fold_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN '%' || replace(replace(replace(fold($1), '\', '\\'), '%', '\%'), '_', '\_') || '%';
