import type { AwsProduct, AwsProductFields, PricingModel } from '@passport/contract/aws-products'
import { allOf, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** An AWS product, without what the configuration adds. */
export interface ProductRow extends Omit<AwsProduct, 'urls'> {
  sortName: string
}

/** Selects the fields of `ProductRow`. */
const columns = (sql: Sql) => sql`
  id, name, product_code, product_id, pricing_model, integration, region, sns_topic_arns, dimensions, support_email,
  enabled, subscription_counts, created_at, updated_at, version, sort_name`

interface ProductFilter {
  /** A part of the name, the product code or the product id; empty for all. */
  word: string
  isEnabled: boolean | undefined
  pricingModel: PricingModel | undefined
}

interface ProductRange extends ListRange, ProductFilter {
  sort: 'name' | 'updated'
  isDescending: boolean
}

const matches = (sql: Sql, { word, isEnabled, pricingModel }: ProductFilter) =>
  allOf(
    sql,
    sql`position(plain_text(${word}) in search_text) > 0`,
    isEnabled === undefined ? undefined : sql`enabled = ${isEnabled}`,
    pricingModel === undefined ? undefined : sql`pricing_model = ${pricingModel}`,
  )

export async function list(sql: Sql, { sort, isDescending, after, offset, limit, ...filter }: ProductRange) {
  const order = { key: sort === 'name' ? 'sort_name' : 'updated_at', isDescending }
  return sql<ProductRow[]>`
    select ${columns(sql)} from aws_product_rows
    ${pageWhere(sql, order, { after, offset, limit }, matches(sql, filter))}`
}

export async function count(sql: Sql, filter: ProductFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from aws_product_rows where ${matches(sql, filter)}`
  return row?.count ?? 0
}

/** Lists all products, by product code. */
export async function listAll(sql: Sql): Promise<ProductRow[]> {
  return sql<ProductRow[]>`select ${columns(sql)} from aws_product_rows order by product_code`
}

export async function find(sql: Sql, id: string): Promise<ProductRow | undefined> {
  const [row] = await sql<ProductRow[]>`select ${columns(sql)} from aws_product_rows where id = ${id}`
  return row
}

/** Reports whether a topic of SNS is that of a product. */
export async function isKnownTopic(sql: Sql, arn: string): Promise<boolean> {
  return (await sql`select from aws_topics where arn = ${arn} limit 1`).length > 0
}

/** Finds the product with a product code of AWS. */
export async function findByCode(sql: Sql, productCode: string): Promise<ProductRow | undefined> {
  const [row] = await sql<ProductRow[]>`
    select ${columns(sql)} from aws_product_rows where product_code = ${productCode}`
  return row
}

/** Reports whether a product takes subscriptions. */
export async function hasEnabled(sql: Sql): Promise<boolean> {
  const rows = await sql`select from aws_products where enabled and deleted_at is null limit 1`
  return rows.length > 0
}

/** Returns the product code of an enabled product. */
export async function findEnabledCode(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ productCode: string }[]>`
    select product_code from aws_products where enabled order by id limit 1`
  return row?.productCode
}

/** Locks a product until the transaction ends. */
export async function lock(sql: Sql, id: string): Promise<void> {
  await sql`select from aws_products where id = ${id} for update`
}

/** A dimension to write, with the id of its entitlement. */
export type DimensionRow = Omit<AwsProductFields['dimensions'][number], 'entitlementKey'> & {
  entitlementId: string | null
}

/** The fields to write. */
export type ProductToWrite = Omit<AwsProductFields, 'dimensions'> & { dimensions: DimensionRow[] }

export async function add(sql: Sql, id: string, { dimensions, ...fields }: ProductToWrite): Promise<void> {
  await sql`insert into aws_products ${sql({ id, ...fields } as never)}`
  await addDimensions(sql, id, dimensions)
}

export async function replace(sql: Sql, id: string, { dimensions, ...fields }: ProductToWrite): Promise<void> {
  await sql`delete from aws_product_dimensions where product_id = ${id}`
  await sql`
    update aws_products set ${sql(fields as never)}, updated_at = now(), version = version + 1 where id = ${id}`
  await addDimensions(sql, id, dimensions)
}

async function addDimensions(sql: Sql, id: string, dimensions: DimensionRow[]) {
  await sql`
    insert into aws_product_dimensions (product_id, key, kind, entitlement_id, unit, place)
    select ${id}, d.key, d.kind, d."entitlementId", d.unit, d.place
    from rows from (jsonb_to_recordset(${sql.json(dimensions as never)})
      as (key text, kind text, "entitlementId" text, unit text)) with ordinality as d (key, kind, "entitlementId", unit, place)`
}

/** Moves a product to the trash. */
export async function remove(sql: Sql, id: string): Promise<void> {
  await sql`update aws_products set deleted_at = now(), version = version + 1 where id = ${id}`
}

/** Locks a product in the trash until the transaction ends; returns its version. */
export async function lockDeleted(sql: Sql, id: string): Promise<number | undefined> {
  const [row] = await sql<{ version: number }[]>`
    select version from aws_products where id = ${id} and deleted_at is not null for update`
  return row?.version
}

/** Undoes `remove`. */
export async function restore(sql: Sql, id: string): Promise<void> {
  await sql`
    update aws_products set deleted_at = null, updated_at = now(), version = version + 1 where id = ${id}`
}

/**
 * Locks at most `limit` products that were deleted more than `olderThanDays` days ago, and frees their entitlements; returns
 * their ids.
 */
export async function lockPurgeable(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from aws_products where deleted_at < now() - make_interval(days => ${olderThanDays})
    order by deleted_at limit ${limit} for update skip locked`
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    await sql`
      update aws_product_dimensions set entitlement_id = null
      where product_id = any(${ids}) and entitlement_id is not null`
  return ids
}

export async function erase(sql: Sql, ids: string[]): Promise<void> {
  await sql`delete from aws_products where id = any(${ids})`
}
