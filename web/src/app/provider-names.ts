import { discover } from '@passport/contract/discovery'
import { useQuery } from '@tanstack/react-query'
import { query } from './api.ts'

/** Returns a function that finds the display name of an identity provider; until the names are loaded, it returns the id. */
export function useProviderName(): (id: string) => string {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  return (id) => data?.identityProviders.find((provider) => provider.id === id)?.name ?? id
}
