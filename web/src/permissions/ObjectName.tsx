import { completeObjectIds } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'

/** What the directory calls one of its objects; undefined for what is not of the directory, or not known. */
export function useObjectName({ type, id }: { type: string; id: string }): string | undefined {
  const found = useQuery({
    ...query(completeObjectIds, { query: { type, prefix: id, limit: 1 } }),
    enabled: type.startsWith('passport/') && id !== '' && id !== '*',
    staleTime: 60_000,
    retry: false,
  })
  const [first] = found.data?.items ?? []
  return first?.id === id ? (first.name ?? undefined) : undefined
}

/** The name after a reference, where the directory has one. */
export function ObjectName(reference: { type: string; id: string }) {
  const name = useObjectName(reference)
  return name ? <span className="text-ink2"> {name}</span> : null
}
