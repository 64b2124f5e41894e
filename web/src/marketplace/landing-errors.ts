interface LandingError {
  title: string
  detail: string
}

const again = 'Return to AWS Marketplace and select “Set up your account” again.'

/** The failures of a landing, by the code in the URL. */
const errors: Record<string, LandingError> = {
  'awsmp-token-missing': { title: 'AWS sent no purchase', detail: again },
  'awsmp-token-invalid': { title: 'AWS does not know this purchase', detail: again },
  'awsmp-token-expired': { title: 'This link has expired', detail: `It is valid for a few hours. ${again}` },
  'awsmp-token-overused': { title: 'Opened too often', detail: `This link was opened in five browsers. ${again}` },
  'awsmp-product-unknown': {
    title: 'This product is not offered here',
    detail: 'Your purchase at AWS is not affected. Contact support to have it set up.',
  },
  'awsmp-throttled': { title: 'AWS is busy', detail: `Wait a few seconds. ${again}` },
  'too-many-requests': { title: 'Too many attempts', detail: `Wait a minute. ${again}` },
  'awsmp-unavailable': { title: "AWS isn't responding", detail: `Your purchase is safe. Wait a moment. ${again}` },
  'awsmp-not-configured': {
    title: 'Not available at the moment',
    detail: 'This installation cannot reach AWS Marketplace. Your purchase is safe: contact support.',
  },
}

/** Returns the title and the sentence of a failed landing. Unknown codes get those of any failure. */
export const describeLandingError = (code: unknown): LandingError =>
  (typeof code === 'string' && Object.hasOwn(errors, code) ? errors[code] : undefined) ?? {
    title: "Your purchase couldn't be read",
    detail: again,
  }
