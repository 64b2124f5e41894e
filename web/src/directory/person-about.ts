interface Person {
  username: string | null
  email: string | null
}

/** Returns what identifies a user beside the freely chosen name: the email or, without one, the username. */
export const personDetail = ({ username, email }: Person): string => email ?? (username === null ? '' : `@${username}`)
