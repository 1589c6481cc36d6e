-- Who buys.
CREATE TABLE IF NOT EXISTS shop.customers (
  id bigint PRIMARY KEY,
  "full name" text NOT NULL DEFAULT 'CREATE TABLE no;',
  balance numeric(10, 2),
  CONSTRAINT positive CHECK (balance >= 0)
);

CREATE TABLE orders (id int, total numeric);
CREATE UNIQUE INDEX orders_by_total ON orders (total);
CREATE TYPE order_state AS ENUM ('open', 'paid');

CREATE OR REPLACE VIEW shop.open_orders AS
  SELECT * FROM orders WHERE total > 0;

/* Adds up. */
CREATE FUNCTION shop.total(customer bigint) RETURNS numeric AS $$
BEGIN
  CREATE TABLE hidden (id int);
  RETURN (SELECT sum(total) FROM orders);
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER touch BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();

CREATE PROCEDURE dbo.[Pay Order] @id int AS
BEGIN
  UPDATE orders SET total = CASE WHEN total > 1 THEN 0 END;
  SELECT 1;
END
GO

WITH RECURSIVE paid AS (
  SELECT * FROM orders
), late(id) AS (
  SELECT id FROM paid
)
SELECT * FROM {{ ref('late') }};
