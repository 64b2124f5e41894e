/** A user of the provider, by their claims. */
export interface ProviderUser {
  sub: string
  name: string
  preferred_username: string
  email: string
  email_verified: boolean
}

/** The users that the sign-in page offers; any other name creates a user. */
export const initialUsers: ProviderUser[] = ['Nora Lind', 'Omar Haddad', 'Eve Moreau'].map(createUser)

/** Creates the user with a name. The same name always gives the same user. */
export function createUser(name: string): ProviderUser {
  const handle = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.+|\.+$/g, '')
  return {
    sub: `person-${handle}`,
    name,
    preferred_username: handle,
    // Has the email of eve in the built-in directory: accounts must not be linked by it.
    email: handle === 'eve.moreau' ? 'eve@passport.example' : `${handle}@harbour.example`,
    email_verified: true,
  }
}
