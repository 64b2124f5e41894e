-- How the file of an import was read; null for an import of an earlier version.
alter table user_imports add column file jsonb;

-- All errors of a row, as `RowError` of the contract describes them without the line.
alter table user_import_rows add column errors jsonb not null default '[]';
update user_import_rows
set errors = jsonb_build_array(
  jsonb_build_object('column', fault_column, 'header', null, 'code', fault_code, 'value', null))
where fault_code is not null;
alter table user_import_rows drop column fault_column, drop column fault_code;
