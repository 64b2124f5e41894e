import { Guid } from '@passport/contract/org-entra'
import { fitLine } from '@passport/contract/text-fields'
import { maxNameGraphemes } from '@passport/contract/users'
import * as z from 'zod/mini'
import { readEmail } from '../users/read-person.ts'
import type { Omissions } from './omissions.ts'
import { userType } from './schema.ts'
import { invalidValue } from './scim-error.ts'
import { type Complex, isObject, type Resource, readResource, toBoolean, unwrap } from './values.ts'

/** What the account of a user gets from a resource. */
export interface UserValues {
  /** As the client sent it. */
  externalId: string | null
  /** The object id at the tenant; null if `externalId` is none. */
  objectId: string | null
  userName: string
  displayName: string | null
  /** The address of the resource; null without a valid one. */
  email: string | null
  /** The same as the resource has it, valid or not. */
  statedEmail: string | null
  /** Undefined if the resource does not say. */
  active: boolean | undefined
  /** All attributes besides `externalId` and `userName`, as they are stored. */
  attributes: Resource
}

/** Reads the values of a user resource. Throws 400 `invalidValue` for a missing user name. */
export function readUserValues({ externalId, userName, ...attributes }: Resource): UserValues {
  if (typeof userName !== 'string') throw invalidValue('userName is required.', 'It has at most 512 characters.')
  const id = typeof externalId === 'string' ? externalId : null
  return {
    externalId: id,
    objectId: id === null ? null : toObjectId(id),
    userName,
    displayName: chooseShownName(attributes),
    ...readAddress(attributes),
    active: typeof attributes['active'] === 'boolean' ? attributes['active'] : undefined,
    attributes,
  }
}

/**
 * Reads the resource of a new user, who is created in any case: without a readable `active`, as a disabled one. Throws 400
 * `invalidValue` for a body that is no object.
 */
export function readNewUser(body: unknown, omissions: Omissions): Resource {
  const [name, value] =
    Object.entries(isObject(body) ? body : {}).find(([name]) => name.toLowerCase() === 'active') ?? []
  const sent = unwrap(value)
  if (name === undefined || sent === null || sent === '' || toBoolean(sent) !== undefined)
    return readResource(userType, body, omissions)
  omissions.add('active', 'neither true nor false, so that the user is disabled')
  return readResource(userType, { ...(body as object), [name]: false }, omissions)
}

/** Returns the object id of a user or group at the tenant that a text has, in any letter case; null for any other text. */
export const toObjectId = (text: string): string | null => z.safeParse(Guid, text).data ?? null

/** Returns the name that the account shows: the first of the names of the resource that has visible characters, shortened. */
export function chooseShownName({ displayName, name }: Resource): string | null {
  const { formatted, givenName, familyName } = (name ?? {}) as Complex
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(' ')
  for (const candidate of [displayName, formatted, parts]) {
    const line = candidate === undefined ? undefined : fitLine(String(candidate), maxNameGraphemes)
    if (line !== undefined) return line
  }
  return null
}

/** Returns the address that the account gets. */
export function readAddress({ emails }: Resource): Pick<UserValues, 'email' | 'statedEmail'> {
  const address = choosePrimary((emails ?? []) as Complex[])?.['value']
  if (typeof address !== 'string') return { email: null, statedEmail: null }
  return { email: readEmail(address), statedEmail: address.trim() }
}

/** Returns the value of a list that the account uses: the primary one, else the one for work, else the first. */
export const choosePrimary = (values: Complex[]): Complex | undefined =>
  values.find(({ primary }) => primary === true) ?? values.find(({ type }) => type === 'work') ?? values[0]
