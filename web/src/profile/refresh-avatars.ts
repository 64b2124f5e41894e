import { currentUserQuery } from '../app/current-user.ts'
import { queryClient } from '../app/query-client.ts'

/** Reloads what shows the avatar of a user: profiles, users, and the current user. */
export function refreshAvatars(): void {
  void queryClient.invalidateQueries(currentUserQuery)
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [path] }) => /^\/passport\/(profile|admin\/users)/.test(String(path)),
  })
}
