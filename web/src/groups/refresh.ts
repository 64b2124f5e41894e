import { queryClient } from '../app/query-client.ts'

/** Has everything loaded again that tells of groups. */
export const refreshGroups = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('/passport/groups') })
