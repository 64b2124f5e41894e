import { useEffect, useReducer, useRef } from 'react'
import { pollTokens, startDevice, type Wish } from './device.ts'
import { type Flow, idle, next } from './device-flow.ts'

/** A device that asks to be signed in, and asks again and again until it is, or until it is over. */
export function useDevice(): { flow: Flow; start: (wish: Wish) => void } {
  const [flow, tell] = useReducer(next, idle)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  function start(wish: Wish) {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    tell({ kind: 'start', at: Date.now() })
    startDevice(wish, controller.signal).then(
      (started) => tell({ kind: 'started', started, at: Date.now() }),
      (error: Error) => {
        if (!controller.signal.aborted) tell({ kind: 'trouble', told: error.message, at: Date.now() })
      },
    )
  }

  const { stage, started, intervalSeconds, log } = flow
  // Each answer is a line of the log, so a new poll is due after each.
  const answers = log.length
  useEffect(() => {
    const signal = running.current?.signal
    if (stage !== 'waiting' || !started || !signal || answers === 0) return undefined
    const timer = setTimeout(async () => {
      try {
        const answer = await pollTokens(started.deviceCode, signal)
        if ('error' in answer) tell({ kind: 'polled', error: answer.error, at: Date.now() })
        else tell({ kind: 'tokens', tokens: answer, at: Date.now() })
      } catch {
        if (!signal.aborted) tell({ kind: 'trouble', told: 'no connection', at: Date.now() })
      }
    }, intervalSeconds * 1000)
    return () => clearTimeout(timer)
  }, [stage, started, intervalSeconds, answers])

  return { flow, start }
}
