import {
  hintFields,
  type LandingForm,
  type OfferType,
  offerTypeField,
  tokenField,
} from '@passport/contract/marketplace'
import { cutText } from '../http/storable-text.ts'
import * as problems from './problems.ts'

/** The longest registration token of AWS. */
const maxTokenLength = 8192
/** Hints are kept for support only. */
const maxHintLength = 256

/** What the form of a landing says. All but the token is a claim of the browser. */
export interface LandingClaims {
  token: string
  offerType: OfferType
  hints: Record<string, string>
}

/** Reads the form of a landing. Throws 400 without a token, then for a file, then for a token that AWS cannot have sent. */
export function readLandingForm(form: LandingForm): LandingClaims {
  const token = form[tokenField]
  if (token === undefined || token === '') throw problems.tokenMissing()
  if (Object.values(form).some((part) => typeof part !== 'string')) throw problems.formHasFile()
  if (typeof token !== 'string' || token.length > maxTokenLength) throw problems.tokenInvalid(undefined)
  const hints = hintFields.flatMap((name) => {
    const value = form[name]
    return typeof value === 'string' && value !== '' ? [[name, cutText(value, maxHintLength)]] : []
  })
  return {
    token,
    offerType: form[offerTypeField] === 'free-trial' ? 'free-trial' : 'standard',
    hints: Object.fromEntries(hints),
  }
}
