import { apiScope } from './access-token.ts'

/** What each scope allows, in the words in which a person is asked. */
const meanings: Record<string, string> = {
  openid: 'Know who you are',
  profile: 'See your name and your username',
  email: 'See your e-mail address',
  offline_access: 'Stay signed in while you are away',
  [apiScope]: 'Use Vertex as you',
}

export interface ToldScope {
  name: string
  description: string
}

/** The scopes that people know of among those that are asked for, in the order in which they are told. */
export function toldScopes(requested: Iterable<string>): ToldScope[] {
  const wanted = new Set(requested)
  return Object.entries(meanings)
    .filter(([name]) => wanted.has(name))
    .map(([name, description]) => ({ name, description }))
}
