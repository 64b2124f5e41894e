import { type ApiFields, getIdentityApi, type IdentityApi, putIdentityApi } from '@passport/contract/identity-apis'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'

/** The form of an API; its scopes and applications have cards of their own. */
export interface ApiValues {
  displayName: string
  name: string
  audience: string
  description: string
  /** In seconds. */
  tokenLifetimeSec: string
  claims: ApiFields['claims']
}

export const apiLabels: { [Name in keyof ApiValues]: string } = {
  displayName: 'Display name',
  name: 'Name',
  audience: 'Audience',
  description: 'Description',
  tokenLifetimeSec: 'Token lifetime',
  claims: 'Claims in tokens',
}

export const toValues = (api: IdentityApi): ApiValues => ({
  displayName: api.displayName,
  name: api.name,
  audience: api.audience,
  description: api.description,
  tokenLifetimeSec: String(api.tokenLifetimeSec),
  claims: api.claims,
})

/** Returns the body of a call: an API with the values of its form. */
export const toBody = (api: IdentityApi, { tokenLifetimeSec, ...values }: ApiValues): ApiFields => ({
  ...api,
  ...values,
  tokenLifetimeSec: Number(tokenLifetimeSec),
})

const lifetimes = [60, 300, 600, 1800, 3600, 4 * 3600, 8 * 3600, 24 * 3600]

/** Returns the usual lifetimes, and the current one, as options. */
export const listLifetimes = (current: number) =>
  [...new Set([...lifetimes, current])]
    .sort((a, b) => a - b)
    .map((seconds) => ({ value: String(seconds), label: formatLifetime(seconds) }))

/** Formats a duration in the largest unit that divides it: “10 minutes”. */
export function formatLifetime(seconds: number): string {
  const [size, unit] = seconds % 3600 === 0 ? [3600, 'hour'] : seconds % 60 === 0 ? [60, 'minute'] : [1, 'second']
  const count = seconds / Number(size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Saves fields of an API as it was shown. Rejects with 412 if another user has changed it since. */
export async function saveApi(api: IdentityApi, changes: Partial<ApiFields>): Promise<IdentityApi> {
  const params = { apiId: api.id }
  try {
    const body = { ...api, ...changes }
    return await call(putIdentityApi, { params, body }, { ifMatch: `"${api.version}"` })
  } finally {
    void queryClient.invalidateQueries({ queryKey: [getIdentityApi.path] })
  }
}
