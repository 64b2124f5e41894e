import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

export interface Connection {
  id: string
  userId: string
  connector: string
  externalId: string
  label: string
  linkedAt: string
}

/** An account at a service. */
export interface ExternalAccount {
  connector: string
  externalId: string
  label: string
}

export async function list(sql: Sql, userId: string): Promise<Connection[]> {
  return sql<Connection[]>`
    select id, user_id, connector, external_id, label, linked_at from connections
    where user_id = ${userId} order by linked_at, id`
}

/** Adds a connection; returns false if the account is connected, or the user has another account of the connector. */
export async function add(sql: Sql, userId: string, account: ExternalAccount): Promise<boolean> {
  const { connector, externalId, label } = account
  const added = await sql`
    insert into connections (id, user_id, connector, external_id, label)
    values (${uuid()}, ${userId}, ${connector}, ${externalId}, ${label})
    on conflict do nothing
    returning id`
  return added.length > 0
}

/** Returns the id of the user with an account, and locks the connection until the transaction ends. */
export async function lockOwner(
  sql: Sql,
  { connector, externalId }: Omit<ExternalAccount, 'label'>,
): Promise<string | undefined> {
  const [connection] = await sql<{ userId: string }[]>`
    select user_id from connections where connector = ${connector} and external_id = ${externalId} for update`
  return connection?.userId
}

/** Removes the connection of an account, and returns it. */
export async function removeAccount(
  sql: Sql,
  { connector, externalId }: Omit<ExternalAccount, 'label'>,
): Promise<Connection | undefined> {
  const [removed] = await sql<Connection[]>`
    delete from connections where connector = ${connector} and external_id = ${externalId}
    returning id, user_id, connector, external_id, label, linked_at`
  return removed
}

/** Removes a connection of a user, and returns it. */
export async function remove(sql: Sql, userId: string, id: string): Promise<Connection | undefined> {
  const [removed] = await sql<Connection[]>`
    delete from connections where user_id = ${userId} and id = ${id}
    returning id, user_id, connector, external_id, label, linked_at`
  return removed
}
