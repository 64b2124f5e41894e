import { Suspense } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import { OrgFrame } from './OrgFrame.tsx'
import { adminArea } from './org-area.ts'

const OrgProvisioning = lazyPart(async () => (await import('../scim/OrgProvisioning.tsx')).OrgProvisioning)
const ProvisioningRail = lazyPart(async () => (await import('../scim/OrgProvisioning.tsx')).ProvisioningRail)

/** The provisioning of an organisation, for administrators. */
export const OrgProvisioningPage = () => (
  <OrgFrame
    area={adminArea}
    rail={(org) => (
      <Suspense>
        <ProvisioningRail org={org} />
      </Suspense>
    )}
  >
    {({ org }) => (
      <Suspense fallback={<div className="skeleton h-36" />}>
        <OrgProvisioning org={org} />
      </Suspense>
    )}
  </OrgFrame>
)
