import { discover } from '@passport/contract/discovery'
import { useQuery } from '@tanstack/react-query'
import { query } from './api.ts'

/** Returns the display name of an identity provider; its id until loaded. */
export function useProviderName(): (id: string) => string {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  return (id) => data?.identityProviders.find((provider) => provider.id === id)?.name ?? id
}
