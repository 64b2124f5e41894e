import { removeInvisible } from '@passport/contract/invisible'
import { Guid } from '@passport/contract/org-entra'
import { DisplayName } from '@passport/contract/users'
import * as z from 'zod/mini'
import { readEmail } from '../users/read-person.ts'
import { invalidValue } from './scim-error.ts'
import type { Complex, Resource } from './values.ts'

/** What the account of a user gets from a resource. */
export interface UserValues {
  externalId: string | null
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

/**
 * Reads the values of a user resource. Throws 400 `invalidValue` for a missing user name, and an `externalId` that is no
 * object id.
 */
export function readUserValues({ externalId, userName, ...attributes }: Resource): UserValues {
  if (typeof userName !== 'string' || userName.trim() === '') throw invalidValue('userName is required.')
  return {
    externalId: typeof externalId === 'string' ? readObjectId(externalId) : null,
    userName: userName.trim(),
    displayName: readDisplayName(attributes),
    ...readAddress(attributes),
    active: typeof attributes['active'] === 'boolean' ? attributes['active'] : undefined,
    attributes,
  }
}

/** Reads the object id of a user or a group. */
function readObjectId(text: string): string {
  const parsed = z.safeParse(Guid, text)
  if (parsed.success) return parsed.data
  throw invalidValue(`The externalId “${text.slice(0, 100)}” is no object id.`, 'Map externalId to objectId.')
}

function readDisplayName({ displayName, name }: Resource): string | null {
  const { formatted, givenName, familyName } = (name ?? {}) as Complex
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(' ')
  const text = removeInvisible(String(displayName ?? formatted ?? parts)).trim()
  if (text === '') return null
  const parsed = z.safeParse(DisplayName, text)
  if (parsed.success) return parsed.data
  throw invalidValue(`The name of the user is not valid. ${parsed.error.issues[0]?.message ?? ''}`.trim())
}

function readAddress({ emails }: Resource): Pick<UserValues, 'email' | 'statedEmail'> {
  const address = choosePrimary((emails ?? []) as Complex[])?.['value']
  if (typeof address !== 'string') return { email: null, statedEmail: null }
  return { email: readEmail(address), statedEmail: address.trim() }
}

/** Returns the value of a list that the account uses: the primary one, else the one for work, else the first. */
export const choosePrimary = (values: Complex[]): Complex | undefined =>
  values.find(({ primary }) => primary === true) ?? values.find(({ type }) => type === 'work') ?? values[0]
