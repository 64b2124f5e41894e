import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'

/** What the people of the directory are known by to accounts. Its issuer follows PUBLIC_URL; this does not, so that moving a server loses no one. */
export const identityIssuer = 'urn:passport:directory'

/** Someone in the built-in directory; `id` is their `sub` there. */
export interface DirectoryPerson {
  id: string
  name: string
  displayName: string
  email: string
  passwordHash: string
}

export async function findByName(sql: Sql, name: string): Promise<DirectoryPerson | undefined> {
  const [person] = await sql<DirectoryPerson[]>`
    select id, name, display_name, email, password_hash from directory_people where name = ${name.toLowerCase()}`
  return person
}

export async function findById(sql: Sql, id: string): Promise<DirectoryPerson | undefined> {
  const [person] = await sql<DirectoryPerson[]>`
    select id, name, display_name, email, password_hash from directory_people where id = ${id}`
  return person
}

export interface NewPerson {
  name: string
  displayName: string
  email: string
  passwordHash: string
  /** One of the demonstration people. */
  isCast: boolean
}

export async function add(sql: Sql, { name, displayName, email, passwordHash, isCast }: NewPerson): Promise<string> {
  const id = uuid()
  await sql`
    insert into directory_people (id, name, display_name, email, password_hash, is_cast)
    values (${id}, ${name.toLowerCase()}, ${displayName}, ${email}, ${passwordHash}, ${isCast})`
  return id
}

export async function setPassword(sql: Sql, id: string, passwordHash: string): Promise<void> {
  await sql`
    update directory_people set password_hash = ${passwordHash}, updated_at = now(), version = version + 1 where id = ${id}`
}

/** The names of the demonstration people that are here. */
export async function listCast(sql: Sql): Promise<string[]> {
  const people = await sql<{ name: string }[]>`select name from directory_people where is_cast order by name`
  return people.map(({ name }) => name)
}

/** Removes the demonstration people from the directory, so that no one can sign in as one; returns their ids. */
export async function removeCast(sql: Sql): Promise<string[]> {
  const removed = await sql<{ id: string }[]>`delete from directory_people where is_cast returning id`
  return removed.map(({ id }) => id)
}

/** Removes people; they cannot sign in here any more. */
export async function remove(sql: Sql, ids: string[]): Promise<void> {
  await sql`delete from directory_people where id = any(${ids})`
}
