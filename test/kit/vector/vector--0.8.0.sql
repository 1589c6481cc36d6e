CREATE FUNCTION hamming_distance(bit, bit) RETURNS float8 LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT bit_count($1 # $2)::float8';
CREATE OPERATOR <~> (LEFTARG = bit, RIGHTARG = bit, FUNCTION = hamming_distance, COMMUTATOR = '<~>');
