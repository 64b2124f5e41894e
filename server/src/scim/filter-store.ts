import type { Fragment } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'
import type { AttributePath, Filter, FilterOperator } from './filter.ts'
import { type Attribute, findAttribute, findSubAttribute, type ResourceType, userType } from './schema.ts'
import { ScimError } from './scim-error.ts'
import { toObjectId } from './user-values.ts'
import { toBoolean } from './values.ts'

// Conditions of SQL for the filters of clients. Names come from the schemas, values are parameters.

type Comparison = Extract<Filter, { kind: 'compare' }>

/** Creates the error of an attribute by which resources cannot be filtered. */
export const unsupported = (path: AttributePath, type: ResourceType) =>
  new ScimError(
    400,
    `${type.name}s cannot be filtered by ${path.sub === undefined ? path.name : `${path.name}.${path.sub}`}.`,
    {
      scimType: 'invalidFilter',
      help:
        type === userType
          ? 'Filter by id, externalId, userName, active, or another attribute of the schema.'
          : 'Filter by id, externalId, displayName or members.value.',
    },
  )

/** Returns the condition of a filter on `scim_listed_users`. Throws 400 `invalidFilter` for an unknown attribute. */
export function toUserCondition(sql: Sql, filter: Filter): Fragment {
  if (filter.kind === 'and')
    return sql`(${toUserCondition(sql, filter.left)} and ${toUserCondition(sql, filter.right)})`
  if (filter.kind === 'or') return sql`(${toUserCondition(sql, filter.left)} or ${toUserCondition(sql, filter.right)})`
  const { path } = filter
  const name = path.name.toLowerCase()
  if (filter.kind === 'compare') {
    if (name === 'id') return compareExact(sql, sql`id`, filter)
    if (name === 'externalid') return compareExternalId(sql, filter)
    if (name === 'username') return compareText(sql, sql`user_name`, filter)
    if (name === 'active') return sql`active = ${readBoolean(filter)}`
  }
  const found = findAttribute(userType, path.name, path.urn)
  if (!found || found.attribute.mutability === 'readOnly') throw unsupported(path, userType)
  const { attribute, schema } = found
  const holder = schema === userType.schema ? sql`attributes` : sql`attributes -> ${schema.id}::text`
  if (attribute.multiValued) return toListCondition(sql, attribute, holder, filter)
  if (filter.kind === 'matches') throw unsupported(path, userType)
  if (attribute.type !== 'complex') return compareText(sql, sql`${holder} ->> ${attribute.name}::text`, filter)
  const sub = findSubAttribute(attribute, path.sub ?? 'value')
  if (!sub) throw unsupported(path, userType)
  return compareText(sql, sql`${holder} -> ${attribute.name}::text ->> ${sub.name}::text`, filter)
}

/** Returns the condition that one value of a list matches. */
function toListCondition(
  sql: Sql,
  attribute: Attribute,
  holder: Fragment,
  filter: Extract<Filter, { kind: 'compare' | 'matches' }>,
): Fragment {
  const inner: Filter =
    filter.kind === 'matches' ? filter.filter : { ...filter, path: { name: filter.path.sub ?? 'value' } }
  const items = sql`jsonb_array_elements(${holder} -> ${attribute.name}::text)`
  return sql`exists (select from ${items} item where ${toItemCondition(sql, attribute, inner)})`
}

function toItemCondition(sql: Sql, attribute: Attribute, filter: Filter): Fragment {
  if (filter.kind === 'and' || filter.kind === 'or') {
    const [left, right] = [toItemCondition(sql, attribute, filter.left), toItemCondition(sql, attribute, filter.right)]
    return filter.kind === 'and' ? sql`(${left} and ${right})` : sql`(${left} or ${right})`
  }
  const sub = findSubAttribute(attribute, filter.path.name)
  if (!sub || filter.kind === 'matches') throw unsupported({ name: attribute.name, sub: filter.path.name }, userType)
  return compareText(sql, sql`item ->> ${sub.name}::text`, filter)
}

/** Compares the id of a user at the client, in any letter case if it is the object id at the tenant. */
function compareExternalId(sql: Sql, filter: Comparison): Fragment {
  const objectId = filter.operator === 'eq' ? toObjectId(String(filter.value)) : null
  return objectId === null ? compareExact(sql, sql`external_id`, filter) : sql`object_id = ${objectId}`
}

/** Compares a column whose letter case counts. */
export const compareExact = (sql: Sql, column: Fragment, { operator, value }: Comparison): Fragment =>
  value === null ? sql`${column} is null` : compare(sql, column, operator, sql`${String(value)}::text`)

/** Compares a column in any letter case. */
export const compareText = (sql: Sql, column: Fragment, { operator, value }: Comparison): Fragment =>
  value === null
    ? sql`${column} is null`
    : compare(sql, sql`lower(${column})`, operator, sql`lower(${String(value)}::text)`)

function compare(sql: Sql, column: Fragment, operator: FilterOperator, value: Fragment): Fragment {
  if (operator === 'eq') return sql`${column} = ${value}`
  return operator === 'sw' ? sql`starts_with(${column}, ${value})` : sql`strpos(${column}, ${value}) > 0`
}

function readBoolean({ operator, value }: Comparison): boolean {
  const read = operator === 'eq' ? toBoolean(value) : undefined
  if (read !== undefined) return read
  throw new ScimError(400, 'active can be compared by eq with true or false only.', { scimType: 'invalidFilter' })
}
