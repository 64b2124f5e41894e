-- AWS products, found by their codes, by their ids and by words of their names.
create view findable_aws_products as
  select id, name, product_code as detail, product_code as handle, product_id, plain_text(name) collate "C" as sort_name,
    words_of(name || ' ' || product_code) as search_words
  from aws_products;
