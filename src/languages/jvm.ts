/** Packages of Java, Kotlin and Scala: folders that end with their parts. */
import { folderPackages } from "./packages.ts";

export const jvmPackages = folderPackages(/\.(?:java|kts?|scala|sc)$/);
