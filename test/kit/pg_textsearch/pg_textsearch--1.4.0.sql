CREATE FUNCTION to_bm25query(asked text, index text) RETURNS text LANGUAGE sql IMMUTABLE STRICT
  AS 'SELECT CASE WHEN to_regclass(index) IS NOT NULL THEN asked END';
CREATE FUNCTION bm25_score(said text, asked text) RETURNS float8 LANGUAGE sql STABLE STRICT
  AS $$ SELECT coalesce(-sum(times / (times + 1.2)), 0)::float8
    FROM (SELECT count(*)::float8 AS times FROM string_to_table(said, ' ') AS word
      WHERE word = ANY(string_to_array(asked, ' ')) GROUP BY word) t $$;
CREATE OPERATOR <@> (LEFTARG = text, RIGHTARG = text, FUNCTION = bm25_score);
CREATE ACCESS METHOD bm25 TYPE INDEX HANDLER hashhandler;
CREATE OPERATOR CLASS text_bm25_ops DEFAULT FOR TYPE text USING bm25 AS OPERATOR 1 =, FUNCTION 1 hashtext(text);
