/** Shares one running call among callers with the same key. */
export function shareCalls<Input, Result>(keyOf: (input: Input) => string, work: (input: Input) => Promise<Result>) {
  const running = new Map<string, Promise<Result>>()
  return (input: Input): Promise<Result> => {
    const key = keyOf(input)
    const promise = running.get(key) ?? work(input).finally(() => running.delete(key))
    running.set(key, promise)
    return promise
  }
}

/** Memoizes a load until `forget`; the next call retries a failed one. */
export function memoize<T>(load: () => Promise<T>) {
  let cached: Promise<T> | undefined
  const forget = () => {
    cached = undefined
  }
  const loadOnce = () => {
    cached ??= load().catch((error) => {
      forget()
      throw error
    })
    return cached
  }
  return Object.assign(loadOnce, { forget })
}
