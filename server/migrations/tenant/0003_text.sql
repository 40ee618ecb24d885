CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

-- Text as people search and sort it, without case and accents. `unaccent` alone may not be used in an index because
-- its rules could be changed; ours are the ones that come with it.
CREATE FUNCTION fold(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN lower(public.unaccent('public.unaccent'::regdictionary, $1));

-- The same as a pattern for LIKE.
CREATE FUNCTION fold_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN '%' || replace(replace(replace(fold($1), '\', '\\'), '%', '\%'), '_', '\_') || '%';
