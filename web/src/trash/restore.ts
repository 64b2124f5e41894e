import { restoreAwsProduct } from '@passport/contract/aws-products'
import { ApiError } from '@passport/contract/call'
import { restoreClient } from '@passport/contract/clients'
import { type ContentSlug, restoreContent } from '@passport/contract/content'
import { restoreEntitlement } from '@passport/contract/entitlements'
import { restoreGroup } from '@passport/contract/groups'
import { restoreIdentityApi } from '@passport/contract/identity-apis'
import { restoreOrg } from '@passport/contract/orgs'
import type { TrashEntry } from '@passport/contract/trash'
import { restoreUser } from '@passport/contract/users'
import { call } from '../app/api.ts'

/** New names for the restored record; null for none. The available fields depend on its kind. */
export interface NewNames {
  username?: string | null
  email?: string | null
  slug?: string
  name?: string
}

const restoreCalls: Record<TrashEntry['kind'], (id: string, names: NewNames) => Promise<unknown>> = {
  user: (userId, body) => call(restoreUser, { params: { userId }, query: {}, body }),
  org: (orgId, body) => call(restoreOrg, { params: { orgId }, query: {}, body }),
  group: (id, body) => call(restoreGroup, { params: { id }, query: {}, body }),
  'identity-api': (apiId) => call(restoreIdentityApi, { params: { apiId } }),
  entitlement: (entitlementId) => call(restoreEntitlement, { params: { entitlementId } }),
  'aws-product': (productId) => call(restoreAwsProduct, { params: { productId } }),
  content: (id) => {
    const [slug, locale] = id.split('/')
    return call(restoreContent, { params: { slug: slug as ContentSlug }, query: { locale } })
  },
  // Its client id stays taken in the trash.
  client: (clientId) => call(restoreClient, { params: { clientId } }),
}

/** A name of the record that has been taken since its deletion. Restoring requires another one. */
export interface NameConflict {
  field: string
  label: string
  message: string
  /** Whether the record can be restored without it. */
  isOptional: boolean
}

/**
 * Restores a record, optionally with new names; resolves with the conflict if a name is taken. Rejects with the call's
 * error otherwise.
 */
export async function restore({ kind, id }: TrashEntry, names: NewNames): Promise<NameConflict | undefined> {
  try {
    await restoreCalls[kind](id, names)
    return undefined
  } catch (error) {
    const conflict = findNameConflict(error)
    if (conflict) return conflict
    throw error
  }
}

const labels: Record<string, string> = { username: 'Username', email: 'Email', slug: 'Slug', name: 'Name' }

/** Returns the taken name that an error reports, if any. */
export function findNameConflict(error: unknown): NameConflict | undefined {
  const problem = error instanceof ApiError && error.status === 409 ? error.problem : undefined
  const nameError = problem?.errors?.find(({ field }) => field in labels)
  if (!nameError) return undefined
  const { field, message } = nameError
  return { field, label: labels[field] ?? field, message, isOptional: field === 'username' || field === 'email' }
}

/** Returns the key of an item in lists; ids are unique within a kind. */
export const keyOf = ({ kind, id }: Pick<TrashEntry, 'kind' | 'id'>): string => `${kind} ${id}`
