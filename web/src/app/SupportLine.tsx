import { discover } from '@passport/contract/discovery'
import { useQuery } from '@tanstack/react-query'
import { query } from './api.ts'

/** Whom to ask, below a sheet of the minimal layout. */
export function SupportLine() {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  // The height is kept while the contact loads.
  return (
    <p className="mt-4 min-h-5 text-center text-[13px] text-ink3 [overflow-wrap:anywhere]">
      {data && `Questions? Contact ${data.supportContact}.`}
    </p>
  )
}
