import { discoverTenant } from '@passport/contract/tenant-discovery'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../app/api.ts'

/**
 * Asks every cloud for a domain, an email address or a tenant id; nothing for an empty text. `askAgain` bypasses the
 * answer that the server keeps for 10 minutes.
 */
export function useDiscovery(q: string) {
  const queryClient = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const options = query(discoverTenant, { query: { q } })
  const answer = useQuery({
    ...options,
    enabled: q !== '',
    retry: false,
    // A call may take 5 s and is limited.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })

  async function askAgain() {
    setAsking(true)
    try {
      await queryClient.fetchQuery({
        ...options,
        queryFn: ({ signal }) => call(discoverTenant, { query: { q, refresh: 'true' } }, { signal }),
        staleTime: 0,
      })
    } catch {
      // The query has the error.
    }
    setAsking(false)
  }
  return { answer, askAgain, isAsking }
}
