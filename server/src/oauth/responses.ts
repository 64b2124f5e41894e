/** How a client receives the response to an authorization request (OAuth 2.0 Multiple Response Types, section 2.1). */
export const responseModes = ['query', 'fragment', 'form_post'] as const

export type ResponseMode = (typeof responseModes)[number]

/**
 * Returns the response mode of a request: the one that it names, or else the default of its response type (section 2.1). A
 * client that expects tokens reads the error in the fragment.
 */
export function chooseResponseMode(mode: string | undefined, responseType = 'code'): ResponseMode {
  const named = responseModes.find((each) => each === mode)
  return named ?? (responseType.includes('token') ? 'fragment' : 'query')
}

/** The parameters of a response; undefined ones are left out. */
export type ResponseParameters = Record<string, string | undefined>

/** Removes the parameters that are undefined. */
export const toDefined = (parameters: ResponseParameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )

/**
 * Builds the URL that returns a response to a client: with the parameters in the query, whose other parameters stay (RFC
 * 6749, section 4.1.2), or in the fragment.
 */
export function buildResponseUrl(
  redirectUri: string,
  parameters: ResponseParameters,
  mode: Exclude<ResponseMode, 'form_post'>,
): string {
  const url = new URL(redirectUri)
  const defined = toDefined(parameters)
  if (mode === 'fragment') url.hash = `${new URLSearchParams(defined)}`
  else for (const [name, value] of Object.entries(defined)) url.searchParams.set(name, value)
  return url.href
}
