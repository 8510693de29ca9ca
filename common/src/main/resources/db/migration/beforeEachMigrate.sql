-- A statement that waits for a lock makes all later ones on the table wait behind it, so a migration waits for a second at most.
-- Migrations tries it again.
set local lock_timeout = '1s';
