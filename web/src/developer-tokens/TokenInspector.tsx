import { ClaimsCard } from './ClaimsCard.tsx'
import { ValidationCard } from './ValidationCard.tsx'

/** The validation and the claims of the token; loaded once there is a token. */
export function TokenInspector({ token, authority }: { token: string; authority: string }) {
  return (
    <>
      <ValidationCard token={token} authority={authority} />
      <ClaimsCard token={token} />
    </>
  )
}
