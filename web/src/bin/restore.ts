import type { BinEntry } from '@passport/contract/bin'
import { ApiError } from '@passport/contract/call'
import { endpoint, json } from '@passport/contract/endpoint'
import * as z from 'zod/mini'
import { call } from '../app/api.ts'

const body = json(z.record(z.string(), z.nullable(z.string())))
const returns = json(z.unknown())
const id = z.object({ id: z.string() })
const places = {
  user: endpoint('POST', '/passport/admin/users/{id}/restore', {
    summary: '',
    access: 'admin',
    params: id,
    body,
    returns,
  }),
  org: endpoint('POST', '/passport/admin/orgs/{id}/restore', {
    summary: '',
    access: 'admin',
    params: id,
    body,
    returns,
  }),
  group: endpoint('POST', '/passport/groups/{id}/restore', { summary: '', access: 'admin', params: id, body, returns }),
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
    await call(places[kind], { params: { id }, body: names })
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
