import type { BinEntry } from '@passport/contract/bin'
import { ApiError } from '@passport/contract/call'
import type { Endpoint } from '@passport/contract/endpoint'
import { call } from '../app/api.ts'

/** A call that gives something back; which names its body may hold depends on what it is. */
const restoring = (path: `/${string}`): Endpoint => {
  const content = { type: 'application/json', schema: undefined as never } as const
  return { method: 'POST', path, summary: 'Restore', access: 'admin', body: content, returns: content }
}
const places = {
  user: restoring('/passport/admin/users/{id}/restore'),
  org: restoring('/passport/admin/orgs/{id}/restore'),
  group: restoring('/passport/groups/{id}/restore'),
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
export async function restore(
  { kind, id }: BinEntry,
  names: Record<string, string | null>,
): Promise<Taken | undefined> {
  try {
    await call(places[kind], { params: { id }, body: names } as never)
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
