-- Whether its devices must be given the PIN of whoever approves, also where they do not ask for it: whoever sends others
-- a code would not.
alter table clients add column is_pin_required boolean not null default false;
