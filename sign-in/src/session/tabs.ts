import { isBrowser } from './wake.ts'

/** A message between the tabs of one client. */
export type TabMessage =
  /** The user signed out in another tab. */
  | { kind: 'removed'; sub: string }
  /** Another tab used a refresh token; `user` is the stored form of the renewed user. */
  | { kind: 'renewed'; refreshToken: string; user: string }

/** A channel to the other tabs. */
export interface Tabs {
  /**
   * Resolves when the message has echoed back, which means that it was sent to the others too. Does nothing once
   * closed, because running work may still end.
   */
  broadcast: (message: TabMessage) => Promise<void>
  close: () => void
}

/**
 * `name` separates clients by authority and id; only pages of the same origin share the channel. A server has no tabs,
 * and an open channel would keep its process alive.
 */
export function createTabs(name: string, onMessage: (message: TabMessage) => void): Tabs {
  const open = () => new BroadcastChannel(`oidc.tabs:${name}`)
  let channel = isBrowser() ? open() : undefined
  if (channel) channel.onmessage = ({ data }) => onMessage(data)
  return {
    broadcast: async (message) => {
      if (!channel) return
      const echo = open()
      const echoed = new Promise((resolve) => {
        echo.onmessage = resolve
      })
      channel.postMessage(message)
      await echoed
      echo.close()
    },
    close: () => {
      channel?.close()
      channel = undefined
    },
  }
}
