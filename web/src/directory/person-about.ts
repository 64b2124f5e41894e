interface Person {
  username: string | null
  email: string | null
}

/**
 * Returns the identifying details of a user beside the freely chosen name: the username first, because it is unique.
 */
export const personDetail = ({ username, email }: Person): string =>
  [username && `@${username}`, email].filter(Boolean).join(' · ')
