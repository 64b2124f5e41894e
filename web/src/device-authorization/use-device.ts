import { useEffect, useReducer, useRef } from 'react'
import { type DeviceSettings, pollTokens, requestDeviceAuthorization } from './device.ts'
import { type Flow, idleFlow, reduceFlow } from './device-flow.ts'

/** Simulates a device: `start` requests a code, then polls until the device is signed in or the request has ended. */
export function useDevice(): { flow: Flow; start: (request: DeviceSettings) => void } {
  const [flow, dispatch] = useReducer(reduceFlow, idleFlow)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  function start(request: DeviceSettings) {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    dispatch({ kind: 'start', at: Date.now() })
    requestDeviceAuthorization(request, controller.signal).then(
      (started) => dispatch({ kind: 'started', authorization: started, at: Date.now() }),
      (error: Error) => {
        if (!controller.signal.aborted) dispatch({ kind: 'requestFailed', message: error.message, at: Date.now() })
      },
    )
  }

  const { stage, authorization, intervalSeconds, log } = flow
  // Each response adds a log line, which starts the timer of the next poll.
  const responseCount = log.length
  useEffect(() => {
    const signal = running.current?.signal
    if (stage !== 'waiting' || !authorization || !signal || responseCount === 0) return undefined
    const timer = setTimeout(async () => {
      try {
        const response = await pollTokens(authorization.deviceCode, signal)
        if ('error' in response) dispatch({ kind: 'polled', error: response.error, at: Date.now() })
        else dispatch({ kind: 'tokens', tokens: response, at: Date.now() })
      } catch {
        if (!signal.aborted) dispatch({ kind: 'requestFailed', message: 'no connection', at: Date.now() })
      }
    }, intervalSeconds * 1000)
    return () => clearTimeout(timer)
  }, [stage, authorization, intervalSeconds, responseCount])

  return { flow, start }
}
