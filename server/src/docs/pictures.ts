import { type Html, html } from '../http/page.ts'

/** Line drawings of 24 by 24 units: the pictures of the guides, by name, and of the search. */
const drawings = {
  'your-first-client': html`<rect x="4" y="4" width="16" height="6" rx="1.5"/><rect x="4" y="14" width="16" height="6" rx="1.5"/><path d="M8 7h.01M8 17h.01"/>`,
  'your-first-browser-app': html`<rect x="3" y="4" width="18" height="16" rx="2"/><path d="M3 9h18M7 6.5h.01M10 6.5h.01"/>`,
  'your-first-api': html`<path d="M9 4c-3 0-3 2-3 4s0 4-3 4c3 0 3 2 3 4s0 4 3 4M15 4c3 0 3 2 3 4s0 4 3 4c-3 0-3 2-3 4s0 4-3 4"/>`,
  entitlements: html`<circle cx="12" cy="12" r="8.5"/><path d="m8.5 12 2.5 2.5 4.5-5"/>`,
  'personal-tokens': html`<circle cx="8" cy="15.5" r="4.5"/><path d="M11.5 12.5 20 4M16 8l3 3"/>`,
  preferences: html`<path d="M4 7h16M4 12h16M4 17h16"/><circle cx="9" cy="7" r="2"/><circle cx="15" cy="12" r="2"/><circle cx="8" cy="17" r="2"/>`,
  avatars: html`<rect x="3" y="3" width="18" height="18" rx="3"/><circle cx="12" cy="10" r="3.2"/><path d="M6 20c.5-3.5 2.7-5 6-5s5.5 1.5 6 5"/>`,
  'the-directory': html`<circle cx="9" cy="8" r="3.5"/><path d="M3 20c0-4 2.5-6 6-6s6 2 6 6M16 5a3.2 3.2 0 0 1 0 6M17.5 14c2.5.7 3.5 2.7 3.5 6"/>`,
  'the-directory-as-a-file': html`<path d="M6 3h8l5 5v13H6zM14 3v5h5M9.5 13 8 15l1.5 2M14.5 13l1.5 2-1.5 2"/>`,
  importing: html`<path d="M12 4v10m-4-4 4 4 4-4M4 15v5h16v-5"/>`,
  'administering-by-script': html`<rect x="3" y="4" width="18" height="16" rx="2"/><path d="m7 9 3 3-3 3M12.5 15H17"/>`,
  'checking-permissions': html`<path d="M12 3l8 3v5c0 5-3.5 8.5-8 10-4.5-1.5-8-5-8-10V6zM8.5 12l2.5 2.5 4.5-4.5"/>`,
  'permissions-on-spicedb': html`<ellipse cx="12" cy="6" rx="8" ry="3"/><path d="M4 6v12c0 1.7 3.5 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.5 3 8 3s8-1.3 8-3"/>`,
  configuration: html`<path d="M4 7h9M19 7h1M4 17h1M11 17h9"/><circle cx="16" cy="7" r="3"/><circle cx="8" cy="17" r="3"/>`,
  branding: html`<path d="M12 3a9 9 0 1 0 0 18c1.5 0 2-1 1.5-2-.7-1.5.2-3 2-3H18a3 3 0 0 0 3-3c0-5.5-4-10-9-10z"/><circle cx="7.5" cy="11" r="1"/><circle cx="12" cy="7.5" r="1"/><circle cx="16.5" cy="10.5" r="1"/>`,
  content: html`<path d="M6 3h8l4 4v14H6zM14 3v4h4M9 11h6M9 14.5h6M9 18h3"/>`,
  provisioning: html`<path d="M4 7h11l-3-3M20 17H9l3 3M4 12h2M10 12h4M18 12h2"/>`,
  'entra-organisations': html`<path d="M5 21V4h9v17M14 10h5v11M3 21h18M8 8h3M8 12h3M8 16h3"/>`,
  'aws-marketplace': html`<path d="M3 4h2.5l2.3 11h10L20.5 8H6.5"/><circle cx="9.5" cy="19" r="1.5"/><circle cx="16.5" cy="19" r="1.5"/>`,
  'connected-accounts': html`<path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4"/>`,
  'behind-a-proxy': html`<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9s.5-6 3.5-9z"/>`,
  mail: html`<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3.5 7 8.5 6 8.5-6"/>`,
  monitoring: html`<path d="M3 12h4l2.5-7 5 14 2.5-7h4"/>`,
  backups: html`<path d="M3 5h18v4H3zM5 9v11h14V9M12 11.5v5.5m-2.5-2.5L12 17l2.5-2.5"/>`,
  api: html`<path d="M12 6c-2-1.5-5-2-9-2v14c4 0 7 .5 9 2 2-1.5 5-2 9-2V4c-4 0-7 .5-9 2zM12 6v14"/>`,
  search: html`<circle cx="10.5" cy="10.5" r="6.5"/><path d="m15.5 15.5 5 5"/>`,
}

/** Returns the picture of a guide; of one without a drawing, an open book. */
export const renderPicture = (name: string): Html =>
  html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true">${drawings[name as keyof typeof drawings] ?? drawings.api}</svg>`
