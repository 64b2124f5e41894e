import { queryClient } from '../app/query-client.ts'

/** Invalidates all queries about groups. */
export const refreshGroups = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('/passport/groups') })
