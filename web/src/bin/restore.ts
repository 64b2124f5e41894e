import type { BinEntry } from '@passport/contract/bin'
import { ApiError } from '@passport/contract/call'
import { restoreGroup } from '@passport/contract/groups'
import { restoreOrg } from '@passport/contract/orgs'
import { restoreUser } from '@passport/contract/users'
import { call } from '../app/api.ts'

/** Other names than it had; null for none. Which it may have depends on what it is. */
export interface Names {
  username?: string | null
  email?: string | null
  slug?: string
  name?: string
}

const sendings: Record<BinEntry['kind'], (id: string, names: Names) => Promise<unknown>> = {
  user: (userId, body) => call(restoreUser, { params: { userId }, query: {}, body }),
  org: (orgId, body) => call(restoreOrg, { params: { orgId }, query: {}, body }),
  group: (id, body) => call(restoreGroup, { params: { id }, query: {}, body }),
}

/** What stands in the way of a restore, and may be given another value: someone has the name by now. */
export interface Taken {
  field: string
  label: string
  message: string
  /** It may be left out. */
  isOptional: boolean
}

/** Gives something back, with other names where some are told; answers with what is taken meanwhile. Rejects for any other failure. */
export async function restore({ kind, id }: BinEntry, names: Names): Promise<Taken | undefined> {
  try {
    await sendings[kind](id, names)
    return undefined
  } catch (error) {
    const taken = takenOf(error)
    if (taken) return taken
    throw error
  }
}

const labels: Record<string, string> = { username: 'Username', email: 'E-mail', slug: 'Slug', name: 'Name' }

/** Of a refusal, the name that is in the way. */
export function takenOf(error: unknown): Taken | undefined {
  const problem = error instanceof ApiError && error.status === 409 ? error.problem : undefined
  const fault = problem?.errors?.find(({ field }) => field in labels)
  if (!fault) return undefined
  const { field, message } = fault
  return { field, label: labels[field] ?? field, message, isOptional: field === 'username' || field === 'email' }
}
