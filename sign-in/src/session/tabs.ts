/** What the tabs of one client tell each other. */
export type TabMessage =
  /** The person signed out there. */
  | { kind: 'removed'; sub: string }
  /** A refresh token was used there; `user` is the stored form of the user that came of it. */
  | { kind: 'renewed'; refreshToken: string; user: string }

/** The other tabs. */
export interface Tabs {
  /**
   * Resolves when the message has come back here, and so has been sent to the others too. Says nothing once it is closed:
   * what was going on then may still end.
   */
  tell: (message: TabMessage) => Promise<void>
  close: () => void
}

/** `name` tells clients of different authorities or ids apart; only pages of the same origin hear each other. */
export function createTabs(name: string, hear: (message: TabMessage) => void): Tabs {
  const open = () => new BroadcastChannel(`oidc.tabs:${name}`)
  const channel = open()
  channel.onmessage = ({ data }) => hear(data)
  let isClosed = false
  return {
    tell: async (message) => {
      if (isClosed) return
      const echo = open()
      const isBack = new Promise((back) => {
        echo.onmessage = back
      })
      channel.postMessage(message)
      await isBack
      echo.close()
    },
    close: () => {
      isClosed = true
      channel.close()
    },
  }
}
