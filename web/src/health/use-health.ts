import { ApiError } from '@passport/contract/call'
import { getHealth, type HealthSample, listHealthSamples } from '@passport/contract/health'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'

const refreshMs = 15_000
const samplesMs = 60_000

/** The health of the installation, refreshed every 15 s while the tab is visible; after a failure, `data` is the last answer. */
export function useHealth(isPaused: boolean) {
  const health = useQuery({
    ...query(getHealth, {}),
    refetchInterval: isPaused ? false : refreshMs,
    refetchOnWindowFocus: isPaused ? false : 'always',
    retry: false,
  })
  return { ...health, outage: health.error ? describeOutage(health.error) : undefined }
}

/** Returns why there is no current answer. */
function describeOutage(error: Error): { title: string; detail: string } {
  const code = error instanceof ApiError ? error.problem?.code : undefined
  if (code === 'database-unavailable' || code === 'database-full' || code === 'database-busy')
    return { title: 'The database does not answer', detail: 'Users cannot sign in, and most calls fail.' }
  if (error instanceof ApiError)
    return { title: 'The checks could not be run', detail: error.problem?.detail ?? error.message }
  return { title: 'The server does not answer', detail: 'Check your connection, and whether the server runs.' }
}

/** The samples of these checks by half hour, in their order; undefined until they are loaded. */
export function useSamples(names: string[], isPaused: boolean): HealthSample[][] | undefined {
  const { data } = useQuery({
    // One query of several calls: the library's own part for that would enlarge the first visit.
    queryKey: [listHealthSamples.path, names],
    queryFn: ({ signal }) =>
      Promise.all(
        names.map(async (name) => {
          const { samples } = await call(listHealthSamples, { params: { name }, query: { every: '30' } }, { signal })
          return samples
        }),
      ),
    refetchInterval: isPaused ? false : samplesMs,
    staleTime: samplesMs,
    placeholderData: keepPreviousData,
  })
  return data
}
