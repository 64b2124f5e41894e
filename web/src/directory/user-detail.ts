interface Identifiers {
  username: string | null
  email: string | null
}

/** Returns the identifier shown beside a user's name: the email or, without one, the username. */
export const formatUserDetail = ({ username, email }: Identifiers): string =>
  email ?? (username === null ? '' : `@${username}`)
