// One file, without forms, which are loaded when they open.
export { ProductPage } from './ProductPage.tsx'
export { SubscriptionPage } from './SubscriptionPage.tsx'
export { SubscriptionUsagePage } from './SubscriptionUsagePage.tsx'
