import { checkUses } from "../../../test/kit/references.ts";

const price = "export function formatPrice(x: number) {\n  return x;\n}\n";
const card = (call: string) => `<script setup lang="ts">
import { formatPrice } from "./price";
</script>
<template>
  <!-- formatPrice is hidden -->
  <p :title="${call}">formatPrice</p>
</template>
<style>.formatPrice { color: red }</style>
`;

checkUses(
  "an expression of a template uses what the script imports",
  { "src/price.ts": price, "src/Card.vue": card("formatPrice(1)") },
  ["src/price.ts", "formatPrice"],
  "src/Card.vue:2:9 imports import",
  "src/Card.vue:6:13 calls import",
);

const Card = "<script setup>\nconst label = 1;\n</script>\n<template><b>{{ label }}</b></template>\n";

checkUses(
  "a tag is a use of the component that the script imports",
  {
    "src/UserCard.vue": Card,
    "src/Page.vue": `<template>
  <UserCard /><user-card></user-card>
</template>
<script setup>
import UserCard from "./UserCard.vue";
</script>
`,
    "src/lazy.ts": 'export const page = () => import("./UserCard.vue");\n',
  },
  ["src/UserCard.vue", "UserCard"],
  "src/Page.vue:2:3 references import",
  "src/Page.vue:2:15 references import",
  "src/Page.vue:2:27 references import",
  "src/Page.vue:5:7 imports import",
);

checkUses(
  "a component that is not imported is found by its name alone",
  {
    "components/user-card.vue": Card,
    "pages/index.vue": "<template>\n  <UserCard/>\n  <user-card/>\n  <user-cards/>\n</template>\n",
  },
  ["components/user-card.vue", "UserCard"],
  "pages/index.vue:2:3 references name_only",
  "pages/index.vue:3:3 references name_only",
);

checkUses(
  "a component of Svelte is imported as its file's default",
  {
    "src/UserCard.svelte": "<script>export let name</script>\n<b>{name}</b>\n",
    "src/App.svelte": '<script>\n  import Card from "./UserCard.svelte";\n</script>\n<Card name="x" />\n',
  },
  ["src/UserCard.svelte", "UserCard"],
  "src/App.svelte:2:9 imports import",
  "src/App.svelte:4:1 references import",
);

checkUses(
  "a tag of JSX is a use of the component",
  {
    "src/user-card.tsx": "export default function UserCard() {\n  return <b />;\n}\n",
    "src/app.tsx": 'import Card from "./user-card";\nexport const app = <Card name="x" />;\n',
  },
  ["src/user-card.tsx", "UserCard"],
  "src/app.tsx:1:7 imports import",
  "src/app.tsx:2:20 references import",
);
