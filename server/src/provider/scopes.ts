import { apiScope } from './access-token.ts'

/** The descriptions of scopes on the consent page. */
const descriptions: Record<string, string> = {
  openid: 'Know who you are',
  profile: 'See your name and your username',
  email: 'See your email address',
  offline_access: 'Stay signed in while you are away',
  [apiScope]: 'Read and change your profile, preferences and groups',
}

export interface DescribedScope {
  name: string
  description: string
}

/** Returns the described scopes among the requested ones, in display order. */
export function describeScopes(requested: Iterable<string>): DescribedScope[] {
  const requestedNames = new Set(requested)
  return Object.entries(descriptions)
    .filter(([name]) => requestedNames.has(name))
    .map(([name, description]) => ({ name, description }))
}
