import * as api from '@passport/contract/setup'
import { useQueryClient } from '@tanstack/react-query'
import { StepFoot } from '../entra/StepList.tsx'
import { AddressLine } from '../scim/AddressLine.tsx'
import { ScimTokens } from '../scim/ScimTokens.tsx'
import { Card } from '../ui/Card.tsx'
import { Step } from '../ui/Step.tsx'
import { setupCall, setupQuery } from './call.ts'
import type { StepProps } from './steps.ts'

/** The third step: the address and a token, with which Microsoft Entra keeps users and groups current. Optional. */
export function ProvisioningStep({ state: { brand, provisioning }, onGo }: StepProps) {
  const queryClient = useQueryClient()
  return (
    <>
      <Card
        title="Provisioning"
        description={`Microsoft Entra creates, changes and removes your users and groups in ${brand.name} by itself. Optional.`}
      >
        <AddressLine url={provisioning.url} />
        <ScimTokens
          tokens={provisioning.tokens}
          create={(body) => setupCall(api.createSetupScimToken, { body })}
          revoke={(tokenId) => setupCall(api.revokeSetupScimToken, { params: { tokenId } })}
          canRevoke={({ fromSetupLink }) => fromSetupLink}
          onChange={() => void queryClient.invalidateQueries(setupQuery)}
        />
      </Card>
      <Card title="At Microsoft Entra">
        <ol className="grid gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
          <Step number={1} title="Enterprise applications → your application → Provisioning → Automatic">
            <p className="text-[13px] text-ink2">Paste the tenant URL, and the token as secret token.</p>
          </Step>
          <Step number={2} title="Map externalId to objectId">
            <p className="text-[13px] text-ink2">Under Attribute mapping, for users and groups.</p>
          </Step>
          <Step number={3} title="Test the connection, then start provisioning">
            <p className="text-[13px] text-ink2">The first cycle can take 40 minutes.</p>
          </Step>
        </ol>
      </Card>
      <StepFoot onBack={() => onGo('groups')} action="Continue" onContinue={() => onGo('test')} />
    </>
  )
}
