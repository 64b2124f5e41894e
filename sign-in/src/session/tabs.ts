/** What the tabs of one client tell each other. */
export type TabMessage =
  /** The person signed out there. */
  | { kind: 'removed'; sub: string }
  /** A refresh token was used there; `user` is the stored form of the user that came of it. */
  | { kind: 'renewed'; refreshToken: string; user: string }

/** The other tabs. */
export interface Tabs {
  /** Says nothing once it is closed: what was going on then may still end. */
  tell: (message: TabMessage) => void
  close: () => void
}

/** `name` tells clients of different authorities or ids apart; only pages of the same origin hear each other. */
export function createTabs(name: string, hear: (message: TabMessage) => void): Tabs {
  const channel = new BroadcastChannel(`oidc.tabs:${name}`)
  channel.onmessage = ({ data }) => hear(data)
  let isClosed = false
  return {
    tell: (message) => {
      if (!isClosed) channel.postMessage(message)
    },
    close: () => {
      isClosed = true
      channel.close()
    },
  }
}
