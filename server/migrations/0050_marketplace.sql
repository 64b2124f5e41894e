alter table aws_product_dimensions
  -- What buyers get by the dimension. An entitlement that is mapped is not deleted.
  add foreign key (entitlement_id) references entitlements;

create or replace view aws_product_rows as
  select p.*,
    coalesce(
      (select jsonb_agg(jsonb_build_object('key', d.key, 'kind', d.kind, 'unit', d.unit, 'entitlement',
          case when e.id is not null then jsonb_build_object('id', e.id, 'key', e.key, 'name', e.name, 'kind', e.kind) end)
          order by d.place)
        from aws_product_dimensions d left join entitlements e on e.id = d.entitlement_id where d.product_id = p.id),
      '[]') as dimensions,
    plain_text(p.name) collate "C" as sort_name,
    plain_text(p.name || ' ' || p.product_code || ' ' || coalesce(p.product_id, '')) as search_text
  from aws_products p;
