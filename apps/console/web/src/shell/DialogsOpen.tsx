import "@/mantine-later.css";

import { ModalsProvider } from "@mantine/modals";
import { useEffect } from "react";

import { dialogsMounted } from "@/components/modals";

/** The provider of dialogs. It listens once it is mounted. */
export default function DialogsOpen() {
  useEffect(dialogsMounted, []);
  return <ModalsProvider>{null}</ModalsProvider>;
}
