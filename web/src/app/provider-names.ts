import { discover } from '@passport/contract/discovery'
import { useQuery } from '@tanstack/react-query'
import { query } from './api.ts'

/** What people call an identity provider; its id until that is known. */
export function useProviderName(): (id: string) => string {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  return (id) => data?.identityProviders.find((provider) => provider.id === id)?.name ?? id
}
